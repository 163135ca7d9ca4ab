package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

// TestAnswersOverHTTP has a server on the network answer a call in all wrong ways. The call
// ends by itself, and the next one works, after another connection if need be.
func TestAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	events := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	const result = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"first"}]}}`
	tests := []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request, id string)
		text   string
		err    string
		lost   bool // the connection, too
	}{
		{name: "a stream", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			events(w, "data: "+strings.ReplaceAll(result, "$ID", id)+"\n\n")
		}, text: "first"},
		{name: "a stream with noise", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			events(w, ": hello\n\ndata: noise\n\nevent: other\ndata: x\n\ndata: [1]\n\nid: \x00\nretry: x\n\ndata: "+strings.ReplaceAll(result, "$ID", id)+"\n\n")
		}, text: "first"},
		{name: "a stream that ends", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { events(w, ": hello\n\n") }, err: "http"},
		{name: "an empty stream", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { events(w, "") }, err: "http"},
		{name: "a stream that ends in the middle", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			events(w, "data: "+strings.ReplaceAll(result, "$ID", id))
		}, err: "http"},
		{name: "a connection that breaks", answer: func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }, err: "http"},
		{name: "a stream that breaks", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			events(w, ": hello\n\n")
			panic(http.ErrAbortHandler)
		}, err: "http"},
		{name: "accepted", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusAccepted) }, err: "http"},
		{name: "no content", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusNoContent) }, err: "http"},
		{name: "500", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { http.Error(w, "the database is down", 500) }, err: "http"},
		{name: "429", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			http.Error(w, "slow down", http.StatusTooManyRequests)
		}, err: "http"},
		{name: "400 with an error", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad"}}`, id)
		}, err: "http"},
		{name: "404", answer: func(w http.ResponseWriter, _ *http.Request, _ string) { http.Error(w, "gone", 404) }, err: "session not found", lost: true},
		{name: "a redirect", answer: func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, "http://example.invalid/", http.StatusTemporaryRedirect)
		}, err: "another host"},
		{name: "an endless redirect", answer: func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, err: "10 redirects"},
		{name: "HTML", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<html>")
		}, err: "did not answer with a message of the protocol"},
		{name: "another id", answer: func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, strings.ReplaceAll(result, "$ID", "777"))
		}, err: "did not answer with a message of the protocol"},
		{name: "a wrong length", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "5000")
			_, _ = fmt.Fprint(w, strings.ReplaceAll(result, "$ID", id))
		}, err: "http"},
		{name: "false compression", answer: func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = fmt.Fprint(w, strings.ReplaceAll(result, "$ID", id))
		}, err: "http"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := newHTTPServer(t)
			server.misbehave = tt.answer
			b := newBridge(t, nil, server.config("srv")).ready()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			o := b.callContext(ctx, "srv", "tool-", scriptedInput{Text: "x"})
			t.Logf("after %v: %v", time.Since(began), o.Err)
			require.NoError(t, ctx.Err(), "the call did not end by itself")
			switch tt.err {
			case "":
				require.NoError(t, o.Err)
				require.Contains(t, textOf(o), tt.text)
			case "http":
				require.Error(t, o.Err)
			default:
				require.ErrorContains(t, o.Err, tt.err)
			}
			require.Equal(t, tt.lost, errors.As(o.Err, new(*mcp.ServerError)))
			if tt.lost {
				require.NoError(t, b.servers.Reconnect(ctx, "srv"))
			}
			b.requireEcho("srv")
			require.Equal(t, mcp.Ready, b.now("srv").Status)
		})
	}
}

// TestKeysInAddresses expects that no error has the query of a server's address.
func TestKeysInAddresses(t *testing.T) {
	t.Parallel()
	server := newHTTPServer(t)
	server.misbehave = func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }
	working, closed := server.config("srv"), server.config("closed")
	working.URL += "/mcp?key=s3cret"
	closed.URL = "http://127.0.0.1:1/mcp?key=s3cret"
	b := newBridge(t, nil, working, closed).ready("srv")
	o := b.call("srv", "tool-", scriptedInput{Text: "x"})
	require.ErrorContains(t, o.Err, "EOF")
	require.NotContains(t, o.Err.Error()+textOf(o), "s3cret")
	s := b.until("closed", func(s mcp.State) bool { return s.Err != nil })
	require.ErrorContains(t, s.Err, "refused")
	require.NotContains(t, s.Err.Error(), "s3cret")
}
