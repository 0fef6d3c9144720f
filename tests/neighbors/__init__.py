"""The neighbor tester: does a question about a table say more than it is charged for?

It makes pairs of neighboring tables, puts both through a source (a file, a frame, an engine's
table), asks both the same question, and compares

- outcomes: an answer, a refusal or a failure, and every text of it, must be the same for both,
  and a failure must not happen at all: a question is a total function of tables of its schema;
- the exact numbers just before the noise: they may move as far as the noise was designed for, in as
  many groups as one unit can touch.

See `README.md` for how to test an engine.
"""
