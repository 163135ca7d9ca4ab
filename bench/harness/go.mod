module github.com/seed49eaa51d/pegboard/bench/harness

go 1.26
