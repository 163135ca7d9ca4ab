package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A memoryDriver stands for a database server: it knows one kind of query.
type memoryDriver struct {
	columns []string
	rows    map[string][][]driver.Value // by table
}

// Connect implements driver.Connector.
func (m *memoryDriver) Connect(context.Context) (driver.Conn, error) { return memoryConn{m}, nil }

// Driver implements driver.Connector.
func (m *memoryDriver) Driver() driver.Driver { return nil }

type memoryConn struct{ *memoryDriver }

func (memoryConn) Close() error              { return nil }
func (memoryConn) Begin() (driver.Tx, error) { return nil, errors.New("only reading is possible") }
func (memoryConn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("nothing can be prepared")
}

// BeginTx implements driver.ConnBeginTx.
func (c memoryConn) BeginTx(_ context.Context, o driver.TxOptions) (driver.Tx, error) {
	if !o.ReadOnly {
		return c.Begin()
	}
	return memoryTx{}, nil
}

// QueryContext implements driver.QueryerContext.
func (c memoryConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	table, ok := strings.CutPrefix(query, `SELECT * FROM "`)
	table, ok2 := strings.CutSuffix(table, `" LIMIT ?`)
	limit, ok3 := args[0].Value.(int64)
	if !ok || !ok2 || !ok3 {
		return nil, fmt.Errorf("syntax error: %s", query)
	}
	rows := c.rows[table]
	return &memoryRows{columns: c.columns, left: rows[:min(int(limit), len(rows))]}, ctx.Err()
}

type memoryTx struct{}

func (memoryTx) Commit() error   { return nil }
func (memoryTx) Rollback() error { return nil }

type memoryRows struct {
	columns []string
	left    [][]driver.Value
}

// Columns implements driver.Rows.
func (r *memoryRows) Columns() []string { return r.columns }

// Close implements driver.Rows.
func (r *memoryRows) Close() error { return nil }

// Next implements driver.Rows.
func (r *memoryRows) Next(to []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	copy(to, r.left[0])
	r.left = r.left[1:]
	return nil
}
