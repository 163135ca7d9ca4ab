package otel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// buckets are the boundaries of the histograms in seconds: a dispatch takes microseconds, a
// command minutes, and a person may answer after an hour.
var buckets = []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 3600}

// metrics are the instruments.
type metrics struct {
	tool, queue, question metric.Float64Histogram
	decisions             metric.Int64Counter
}

// newMetrics makes the instruments. Without a meter they measure nothing.
func newMetrics(m metric.Meter) (*metrics, error) {
	if m == nil {
		m = noop.Meter{}
	}
	var problems []error
	seconds := func(name, about string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), metric.WithExplicitBucketBoundaries(buckets...))
		problems = append(problems, err)
		return h
	}
	all := &metrics{
		tool:     seconds(metricTool, "How long a tool ran, from its start to the outcome of its call."),
		queue:    seconds(metricQueue, "How long a call waited from its admission to the start of its tool: for other calls, the decision and a free place."),
		question: seconds(metricQuestion, "How long a question about a call was open."),
	}
	var err error
	all.decisions, err = m.Int64Counter(metricDecisions, metric.WithUnit("{decision}"), metric.WithDescription("Decisions about calls."))
	return all, errors.Join(append(problems, err)...)
}

// time records how long something of a tool took.
func (m *metrics) time(ctx context.Context, h metric.Float64Histogram, took time.Duration, attrs ...attribute.KeyValue) {
	h.Record(ctx, max(took, 0).Seconds(), metric.WithAttributes(attrs...))
}

func withAttributes(attrs ...attribute.KeyValue) metric.AddOption {
	return metric.WithAttributes(attrs...)
}
