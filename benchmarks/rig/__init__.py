"""An engine with its journal, a paper venue and a feed of quotes beside the benchmark; and stamps of an order on its way."""
