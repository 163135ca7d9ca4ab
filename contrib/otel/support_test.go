package otel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/otel"
)

// A scene is a session whose calls are recorded by the SDK of OpenTelemetry.
type scene struct {
	*testing.T

	tracer   trace.Tracer
	recorder *tracetest.SpanRecorder
	reader   *metric.ManualReader
	tracing  *otel.Tracing
	session  *pegboard.Session
	registry pegboard.Registry
}

func newScene(t *testing.T, contents bool, cfg pegboard.SessionConfig, tools ...pegboard.Tool) *scene {
	t.Helper()
	sc := &scene{T: t, recorder: tracetest.NewSpanRecorder(), reader: metric.NewManualReader()}
	sc.tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(sc.recorder)).Tracer("test")
	var err error
	sc.tracing, err = otel.New(otel.Options{Tracer: sc.tracer, Meter: metric.NewMeterProvider(metric.WithReader(sc.reader)).Meter("test"), Contents: contents})
	require.NoError(t, err)
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.Breaker = pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	sc.session, err = pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sc.session.Close(context.Background())) })
	require.NoError(t, sc.registry.Add(tools...))
	return sc
}

// executor returns an executor that is traced whole.
func (sc *scene) executor() *pegboard.Executor {
	return &pegboard.Executor{OnEvent: sc.tracing.Record, Invoke: sc.tracing.Invoke(nil)}
}

func (sc *scene) pool() *pegboard.Pool {
	return sc.registry.AssemblePool(sc.session, pegboard.PoolConfig{})
}

// span returns the ended span of a name, of which there must be one.
func (sc *scene) span(name string) sdktrace.ReadOnlySpan {
	sc.Helper()
	var found []sdktrace.ReadOnlySpan
	for _, s := range sc.recorder.Ended() {
		if s.Name() == name {
			found = append(found, s)
		}
	}
	require.Len(sc, found, 1, name)
	return found[0]
}

// metrics returns what was measured, by name.
func (sc *scene) metrics() map[string]metricdata.Aggregation {
	sc.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(sc, sc.reader.Collect(context.Background(), &all))
	found := map[string]metricdata.Aggregation{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			found[m.Name] = m.Data
		}
	}
	return found
}

// values returns attributes as text.
func values(attrs []attribute.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attrs {
		all[string(a.Key)] = a.Value.Emit()
	}
	return all
}

func call(id, name string, input any) pegboard.Call {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err) // maps of strings can be encoded
	}
	return pegboard.Call{ID: id, Name: name, Input: raw}
}

type words struct {
	Word string `json:"word,omitempty"`
}

// tool returns a read-only tool.
func tool(name string, f func(ctx context.Context, in words, c *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[words, string]{
		Info: pegboard.Info{Name: name}, Description: "For a test.",
		Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared, Kind: pegboard.KindRead},
		Call:   f,
	})
}

func says(text string) func(context.Context, words, *pegboard.Call) (string, error) {
	return func(context.Context, words, *pegboard.Call) (string, error) { return text, nil }
}

// dump is all that spans and metrics contain.
func (sc *scene) dump() string {
	sc.Helper()
	text := fmt.Sprintf("%+v", sc.metrics())
	for _, s := range sc.recorder.Ended() {
		text += fmt.Sprintf("%s %+v %+v %+v %+v\n", s.Name(), values(s.Attributes()), s.Events(), s.Status(), s.Links())
	}
	return text
}
