"""Reports of released answers: one page and one JSON file for reviewers."""
