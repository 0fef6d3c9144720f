"""Programs over cells of one width: the relaxed one bounds, the restricted one finds noise."""
