"""Items: the catalogue of the upgrader, imports, retiring, and prices from outside."""
