"""The results of asking a price source, for the log, the metrics and the operator's command."""

from dataclasses import dataclass, field

from services.items.prices.rules import Verdict
from services.items.prices.sources import RefreshOutcome, Source, SourceFailed

NAMES_REPORTED = 20


@dataclass(kw_only=True)
class ItemCounts:
    """How many items a refresh updated, kept, held back or did not find."""

    updated: int = 0
    unchanged: int = 0
    held_back: int = 0
    missing: int = 0
    """Items that the source has no price for."""
    custom: int = 0
    """Items with a custom price, which is never changed."""
    unknown: int = 0
    """Prices in the document for which there is no item."""
    held_back_items: list[str] = field(default_factory=list)
    """The first 20 of the items held back."""

    def count(self, verdict: Verdict, name: str) -> None:
        """Count one more item by the verdict on its price."""
        if verdict is Verdict.NEW:
            self.updated += 1
        elif verdict is Verdict.SAME:
            self.unchanged += 1
        else:
            self.held_back += 1
            if len(self.held_back_items) < NAMES_REPORTED:
                self.held_back_items.append(name)

    def add(self, other: "ItemCounts") -> None:
        """Add the counts of another refresh."""
        for counted in ("updated", "unchanged", "held_back", "missing", "custom", "unknown"):
            setattr(self, counted, getattr(self, counted) + getattr(other, counted))
        self.held_back_items = (self.held_back_items + other.held_back_items)[:NAMES_REPORTED]


@dataclass(frozen=True, kw_only=True)
class RefreshResult:
    """The result of one refresh from the feed, or of one request to the market."""

    source: Source
    outcome: RefreshOutcome = RefreshOutcome.APPLIED
    counts: ItemCounts = field(default_factory=ItemCounts)
    failure: SourceFailed | None = None
