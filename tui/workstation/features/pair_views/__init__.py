"""Opening and closing the ladder, the chart and the trades of one pair."""
