"""The web app (extra `web`): a server on loopback and everything it serves.

`serve.run` starts it. The server itself only checks requests and keeps the books: every design,
plan, answer and check runs in a worker process that can be stopped (`jobs.py`, `workers.py`,
`worker.py`), by one of the `tasks`.
"""
