package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

type queryInput struct {
	Table string `json:"table" jsonschema:"description=The table to read"`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=20,description=How many rows"`
}

// A database is what QueryDB may read.
type database struct {
	db     *sql.DB
	tables []string // that exist for the model
	open   []string // of these, the ones that need no permission
}

// rowsRead counts the rows that all agents of a conversation have read.
var rowsRead = pegboard.NewKey[*atomic.Int64]("rows read")

const maxRows = 5_000 // of a conversation

func (d database) tool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[queryInput, []map[string]any]{
		Info:        pegboard.Info{Name: "QueryDB", Title: "Query the shop"},
		Description: "Reads rows of a table of the shop's database. Tables: " + strings.Join(d.tables, ", ") + ".",
		Inspect: func(in queryInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:     []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: in.Table}},
				ReadOnly:    true,
				OpenWorld:   true, // the server is another machine
				Concurrency: pegboard.Shared,
				Kind:        pegboard.KindRead,
			}
		},
		Validate: func(_ context.Context, in queryInput, _ *pegboard.Call) error {
			if !slices.Contains(d.tables, in.Table) {
				return fmt.Errorf("there is no table %q; choose one of %s", in.Table, strings.Join(d.tables, ", "))
			}
			return nil
		},
		Permit: func(_ context.Context, in queryInput, _ *pegboard.Call) policy.Decision {
			if slices.Contains(d.open, in.Table) {
				return policy.Decision{Behavior: policy.Allow, Reason: "the table " + in.Table + " is open to every agent"}
			}
			return policy.Decision{} // no opinion
		},
		Call: d.query,
	})
}

func (d database) query(ctx context.Context, in queryInput, c *pegboard.Call) ([]map[string]any, error) {
	count := rowsRead.GetOrInitRoot(c.Session(), func() *atomic.Int64 { return new(atomic.Int64) })
	if count.Load() >= maxRows {
		return nil, fmt.Errorf("this conversation has read %d rows, which is the most; go on with what you have", maxRows)
	}
	tx, err := d.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("the database does not answer, try once more later: %w", err)
	}
	defer tx.Rollback() // it only reads
	rows, err := tx.QueryContext(ctx, `SELECT * FROM "`+in.Table+`" LIMIT ?`, in.Limit)
	if err != nil {
		return nil, fmt.Errorf("the database refuses the query: %w", err)
	}
	defer rows.Close()
	found, err := scan(rows)
	count.Add(int64(len(found)))
	return found, err
}

// scan returns all rows, each by the names of its columns.
func scan(rows *sql.Rows) ([]map[string]any, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	found := []map[string]any{}
	for rows.Next() {
		values, pointers := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, name := range names {
			row[name] = values[i]
		}
		found = append(found, row)
	}
	return found, rows.Err()
}
