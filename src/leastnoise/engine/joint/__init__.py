"""Several numbers at once: noise by levels, and flows below it."""
