"""Item prices from a price feed and a market: fetching, checking and storing them."""
