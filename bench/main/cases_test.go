package main

import (
	"os"
	"slices"
	"testing"

	"github.com/seed49eaa51d/pegboard/bench/harness"
)

// cases lists every case of this module. Add a library by writing its
// <library>_test.go with a function that returns its cases, and adding it here.
func cases() []harness.Case {
	return slices.Concat(
		floorCases(),
		pegboardCases(),
		einoCases(),
		langchaingoCases(),
		anthropicCases(),
		goSDKCases(),
		mcpGoCases(),
	)
}

func BenchmarkPeers(b *testing.B) { harness.Bench(b, cases()) }

func TestBehaviour(t *testing.T) { harness.Behaviour(t, cases()) }

func TestDescribe(t *testing.T) { harness.Describe(t, cases()) }

// TestPanic runs the case named by PEER with a panicking tool.
func TestPanic(t *testing.T) { harness.Panic(t, cases(), os.Getenv("PEER")) }
