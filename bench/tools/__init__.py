"""What the benchmarks share: a load of small requests over kept-alive connections, and the processes it is put on."""
