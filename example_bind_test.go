package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// accountKey is where the host keeps who has logged in.
var accountKey = pegboard.NewKey[string]("account")

// accountOf is the account for which the calls of a session are made.
func accountOf(s *pegboard.Session) (any, error) {
	account, ok := accountKey.Get(s)
	if !ok {
		return nil, errors.New("nobody has logged in")
	}
	return account, nil
}

// bindAccounts binds the account of all tools, each of which must have such a property.
func bindAccounts(tools []pegboard.Tool) ([]pegboard.Tool, error) {
	for i, tool := range tools {
		bound, err := pegboard.Bind(tool, map[string]pegboard.Binding{"account": accountOf})
		if err != nil {
			return nil, err
		}
		tools[i] = bound
	}
	return tools, nil
}

// A tool of a server wants to know the account. The model neither sees the property nor can
// it set one.
func ExampleBind() {
	schema := json.RawMessage(`{"type":"object","properties":{"account":{"type":"string"},"month":{"type":"integer"}},"required":["account"]}`)
	invoices, err := pegboard.BuildRaw(schema, pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "invoices"}, Description: "Lists invoices.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(_ context.Context, in json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("the server gets " + string(in)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	tools, err := bindAccounts([]pegboard.Tool{invoices})
	if err != nil {
		log.Fatal(err)
	}
	pool := pool(pegboard.SessionConfig{}, tools...)
	accountKey.Set(pool.Session(), "acme")
	for d := range pool.Declarations(pegboard.Builtin) {
		fmt.Println(string(d.InputSchema))
	}
	var ex pegboard.Executor
	for _, out := range ex.Run(context.Background(), pool,
		pegboard.Call{ID: "1", Name: "invoices", Input: json.RawMessage(`{"month":5}`)},
		pegboard.Call{ID: "2", Name: "invoices", Input: json.RawMessage(`{"month":5,"account":"other"}`)}) {
		fmt.Println(out.Result.Text())
	}
	// Output:
	// {"type":"object","properties":{"month":{"type":"integer"}}}
	// the server gets {"account":"acme","month":5}
	// invoices was not run, its input is wrong:
	// unknown property "account"; the properties are "month"
	// Correct the input and call it again.
}

// invoiceInput is what a func of the host has taken all along.
type invoiceInput struct {
	Account string `json:"account"`
	Month   int    `json:"month"`
}

// invoiceTool makes a tool of it.
func invoiceTool(total func(ctx context.Context, in invoiceInput, c *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[invoiceInput, string]{
		Info:        pegboard.Info{Name: "InvoiceTotal"},
		Description: "Returns the sum of the invoices of a month.",
		Traits:      pegboard.Traits{ReadOnly: true},
		Bound:       map[string]pegboard.Binding{"account": accountOf},
		Call:        total,
	})
}

// A value that is not there fails the call, and the model is told nothing of it.
func ExampleBindError() {
	tool := invoiceTool(func(context.Context, invoiceInput, *pegboard.Call) (string, error) { return "42", nil })
	var ex pegboard.Executor
	out := ex.Run(context.Background(), pool(pegboard.SessionConfig{}, tool),
		pegboard.Call{ID: "1", Name: "InvoiceTotal", Input: json.RawMessage(`{"month":5}`)})[0]
	var unbound *pegboard.BindError
	if errors.As(out.Err, &unbound) {
		fmt.Println(unbound.Property, "-", unbound.Err)
	}
	fmt.Println(out.Result.Text())
	// Output:
	// account - nobody has logged in
	// InvoiceTotal was not run. The program that runs the tools could not add what it adds to every input. The input is not at fault: do not repeat the call; use another way or tell the user.
}
