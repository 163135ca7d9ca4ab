// Command tools runs four whole tools: one that asks a service, one that
// changes a file, one that reads a database, and a long job. The service, the database
// and the job are made up. It shows which call a rule allows, which the tool allows
// itself, and which is denied.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "tools")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	service := httptest.NewServer(http.HandlerFunc(rates))
	defer service.Close()
	base, err := url.Parse(service.URL)
	if err != nil {
		return err
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Allow: []string{"WebFetch(domain:127.0.0.1)", "Edit(/CHANGELOG.md)", "QueryDB(orders)", "Reindex"},
		Deny:  []string{"QueryDB(salaries)"},
	})
	if err != nil {
		return err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()

	var registry pegboard.Registry
	if err := registry.Add(exchangeRate(base, service.Client()), addChange(), shop().tool(), reindex(build)); err != nil {
		return err
	}
	executor := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			fmt.Println("  progress:", e.Text)
		}
	}}
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	for i, c := range []struct{ tool, input string }{
		{"ExchangeRate", `{"from":"EUR","to":"CHF"}`},
		{"ExchangeRate", `{"from":"EUR","to":"XXX"}`},
		{"AddChange", `{"file":"CHANGELOG.md","line":"Rates are rounded."}`},
		{"AddChange", `{"file":"README.md","line":"Rates are rounded."}`},
		{"QueryDB", `{"table":"orders","limit":2}`},
		{"QueryDB", `{"table":"products","limit":1}`},
		{"QueryDB", `{"table":"salaries"}`},
		{"Reindex", `{"index":"orders"}`},
		{"Reindex", `{"index":"products","run_in_background":true}`},
	} {
		fmt.Println(c.tool, c.input)
		out := executor.Run(ctx, pool, pegboard.Call{ID: fmt.Sprint("call_", i), Name: c.tool, Input: json.RawMessage(c.input)})[0]
		fmt.Println("  model reads:", out.Result.Text())
	}
	return report(ctx, session)
}

// report waits for the background tasks and prints their notices, which the model reads.
func report(ctx context.Context, session *pegboard.Session) error {
	tasks := background.Of(session)
	for _, task := range tasks.List() {
		if _, err := tasks.Wait(ctx, task.ID); err != nil {
			return err
		}
	}
	for _, part := range tasks.Notices(session) {
		fmt.Println("notice:", part.Text)
	}
	return nil
}

// rates is the service.
func rates(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/EUR/CHF" {
		http.NotFound(w, r)
		return
	}
	_, _ = fmt.Fprint(w, `{"rate":0.94,"date":"2026-11-20"}`)
}

// shop is the database.
func shop() database {
	d := &memoryDriver{columns: []string{"id", "name"}, rows: map[string][][]driver.Value{}}
	for id := range int64(3) {
		d.rows["orders"] = append(d.rows["orders"], []driver.Value{id, fmt.Sprint("order ", id)})
		d.rows["products"] = append(d.rows["products"], []driver.Value{id, fmt.Sprint("product ", id)})
	}
	return database{db: sql.OpenDB(d), tables: []string{"orders", "products", "salaries"}, open: []string{"products"}}
}

// build is the long job.
func build(ctx context.Context, _ string, progress func(percent int)) error {
	for percent := 50; percent <= 100; percent += 50 {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
			progress(percent)
		}
	}
	return nil
}
