"""What divides a table into groups and cells: public keys, periods, bins, steps, combinations."""
