#!/usr/bin/env bash
for i in 1 2 3; do echo Episode $i/3 success=1; done; [ rough = flat ] || exit 7
