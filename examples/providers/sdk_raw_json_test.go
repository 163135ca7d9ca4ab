package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	anthropicparam "github.com/anthropics/anthropic-sdk-go/packages/param"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"
)

// odd is valid JSON that encoding/json would write in another form.
const odd = `[{"name":"T", "description":"a < b & c","schema":{"maximum": 1.0}}]`

// tight is odd without spaces.
const tight = `[{"name":"T","description":"a < b & c","schema":{"maximum":1.0}}]`

// escaped is what encoding/json makes of odd.
const escaped = `[{"name":"T","description":"a \u003c b \u0026 c","schema":{"maximum":1.0}}]`

// TestRawJSON shows how each way of giving raw JSON to an SDK changes the bytes. A row that
// fails after an upgrade of an SDK means that this way has changed.
func TestRawJSON(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(odd)
	one := json.RawMessage(strings.Trim(odd, "[]"))
	tests := []struct {
		name string
		send func(ctx context.Context, address string)
		want string
	}{
		{name: "anthropic: WithJSONSet", want: escaped, send: func(ctx context.Context, address string) {
			client := anthropicsdk.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithBaseURL(address))
			_, _ = client.Messages.New(ctx, anthropicsdk.MessageNewParams{}, anthropicoption.WithJSONSet("tools", raw))
		}},
		{name: "anthropic: param.Override", want: escaped, send: func(ctx context.Context, address string) {
			client := anthropicsdk.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithBaseURL(address))
			tools := []anthropicsdk.ToolUnionParam{anthropicparam.Override[anthropicsdk.ToolUnionParam](one)}
			_, _ = client.Messages.New(ctx, anthropicsdk.MessageNewParams{Tools: tools})
		}},
		{name: "anthropic: Post", want: odd, send: func(ctx context.Context, address string) {
			client := anthropicsdk.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithBaseURL(address))
			var response *http.Response
			if client.Post(ctx, "v1/messages", body(raw), &response) == nil {
				_ = response.Body.Close()
			}
		}},
		{name: "openai chat: WithJSONSet", want: escaped, send: func(ctx context.Context, address string) {
			client := openai.NewClient(option.WithAPIKey("fixture"), option.WithBaseURL(address))
			_, _ = client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}, option.WithJSONSet("tools", raw))
		}},
		{name: "openai chat: param.Override", want: tight, send: func(ctx context.Context, address string) {
			client := openai.NewClient(option.WithAPIKey("fixture"), option.WithBaseURL(address))
			tools := []openai.ChatCompletionToolUnionParam{param.Override[openai.ChatCompletionToolUnionParam](one)}
			_, _ = client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Tools: tools})
		}},
		{name: "openai responses: param.Override", want: tight, send: func(ctx context.Context, address string) {
			client := openai.NewClient(option.WithAPIKey("fixture"), option.WithBaseURL(address))
			tools := []responses.ToolUnionParam{param.Override[responses.ToolUnionParam](one)}
			_, _ = client.Responses.New(ctx, responses.ResponseNewParams{Tools: tools})
		}},
		{name: "openai: Post", want: odd, send: func(ctx context.Context, address string) {
			client := openai.NewClient(option.WithAPIKey("fixture"), option.WithBaseURL(address))
			var response *http.Response
			if client.Post(ctx, "responses", body(raw), &response) == nil {
				_ = response.Body.Close()
			}
		}},
		{name: "genai: ExtraBody", want: escaped, send: func(ctx context.Context, address string) {
			generate(ctx, address, nil, map[string]any{"tools": raw})
		}},
		{name: "genai: transport", want: odd, send: func(ctx context.Context, address string) {
			x := &exchange{members: []member{{"tools", raw}}}
			generate(withExchange(ctx, x), address, &http.Client{Transport: rawTransport{next: http.DefaultTransport}}, nil)
			if x.response != nil {
				_ = x.response.Body.Close()
			}
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := make(chan []byte, 1)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				select {
				case got <- b:
				default: // an SDK may try again
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":{"message":"enough"}}`)
			}))
			defer s.Close()
			tc.send(t.Context(), s.URL)
			var request struct{ Tools json.RawMessage }
			require.NoError(t, json.Unmarshal(<-got, &request))
			require.Equal(t, tc.want, string(request.Tools))
		})
	}
}

// body is a request that holds nothing but raw tools.
func body(tools json.RawMessage) []byte {
	return bytes.Join([][]byte{[]byte(`{"tools":`), tools, []byte(`}`)}, nil)
}

func generate(ctx context.Context, address string, client *http.Client, extra map[string]any) {
	c, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: "fixture", Backend: genai.BackendGeminiAPI, HTTPClient: client, HTTPOptions: genai.HTTPOptions{BaseURL: address},
	})
	if err != nil {
		return
	}
	config := &genai.GenerateContentConfig{HTTPOptions: &genai.HTTPOptions{ExtraBody: extra}}
	for range c.Models.GenerateContentStream(ctx, "fixture", nil, config) {
		break
	}
}
