"""The routes of the server, one file for each view and one for jobs."""
