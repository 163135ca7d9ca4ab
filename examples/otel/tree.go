package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// shown are the attributes that are printed, in this order.
var shown = []string{"gen_ai.agent.name", "pegboard.call.targets", "pegboard.decision.behavior", "pegboard.decision.by", "pegboard.decision.rule", "error.type"}

// print prints spans as a tree, with their events. Durations are left out: they differ from
// run to run.
func print(out io.Writer, spans []sdktrace.ReadOnlySpan) {
	children := map[trace.SpanID][]sdktrace.ReadOnlySpan{}
	for _, s := range spans {
		children[s.Parent().SpanID()] = append(children[s.Parent().SpanID()], s)
	}
	var below func(parent trace.SpanID, indent string)
	below = func(parent trace.SpanID, indent string) {
		list := children[parent]
		slices.SortFunc(list, func(a, b sdktrace.ReadOnlySpan) int {
			return cmp.Or(cmp.Compare(attribute(a, "gen_ai.tool.call.id"), attribute(b, "gen_ai.tool.call.id")), a.StartTime().Compare(b.StartTime()))
		})
		for _, s := range list {
			fmt.Fprintf(out, "%s%s%s\n", indent, s.Name(), details(s))
			below(s.SpanContext().SpanID(), indent+"    ")
		}
	}
	below(trace.SpanID{}, "")
}

// details returns the attributes and events of a span on one line.
func details(s sdktrace.ReadOnlySpan) string {
	var parts []string
	for _, key := range shown {
		if value := attribute(s, key); value != "" {
			parts = append(parts, key[strings.LastIndexByte(key, '.')+1:]+"="+value)
		}
	}
	for _, e := range s.Events() {
		parts = append(parts, "("+e.Name+")")
	}
	if len(s.Links()) > 0 {
		parts = append(parts, "linked to the call that started it")
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, " ")
}

func attribute(s sdktrace.ReadOnlySpan, key string) string {
	for _, a := range s.Attributes() {
		if string(a.Key) == key {
			return a.Value.Emit()
		}
	}
	return ""
}
