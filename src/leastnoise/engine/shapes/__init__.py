"""Several numbers at once: K-norm noise, and flows below it."""
