// Command providers holds the same conversation with the same tools over four APIs:
// Anthropic Messages, OpenAI Chat Completions, OpenAI Responses and Gemini. One loop
// holds a [wire.Codec] and sends through the official SDK of the provider; it knows
// neither.
//
// Without flags a local server plays back the replies in fixtures over HTTP, so that
// neither a key nor a network is needed. With -live it talks to the real service of
// every provider whose key is in the environment.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

const (
	system   = "You are the clerk of a harbour office. Use the tools; ask for everything you need at once."
	question = "When is high water in Tromsø today, and is there a ferry from there to Atlantis?"
)

// An endpoint is the address of a provider and the key to it.
type endpoint struct {
	address string // empty means the real service
	key     string
	model   string
}

// A provider is one API and the SDK for it.
type provider struct {
	name   string // of the folder with its replies, too
	title  string
	keyEnv string
	model  string // of -live
	codec  func(*pegboard.Pool) wire.Codec
	dial   func(context.Context, endpoint) (sender, error)

	// The rest is for the local server.
	path    string                                       // of the request
	history string                                       // the request's member that holds it
	turns   func(history []json.RawMessage) (int, error) // that the model has had
}

func providers() []provider {
	return []provider{
		{
			name: "anthropic", title: "Anthropic Messages, by anthropic-sdk-go",
			keyEnv: "ANTHROPIC_API_KEY", model: "claude-sonnet-4-5", dial: dialAnthropic,
			codec: func(p *pegboard.Pool) wire.Codec { return anthropic.New(p, anthropic.Config{}) },
			path:  "/v1/messages", history: "messages", turns: anthropicTurns,
		},
		{
			name: "openai-chat", title: "OpenAI Chat Completions, by openai-go",
			keyEnv: "OPENAI_API_KEY", model: "gpt-5-mini", dial: dialChat,
			codec: func(p *pegboard.Pool) wire.Codec { return chat.New(p, chat.Config{}) },
			path:  "/chat/completions", history: "messages", turns: chatTurns,
		},
		{
			name: "openai-responses", title: "OpenAI Responses, by openai-go",
			keyEnv: "OPENAI_API_KEY", model: "gpt-5-mini", dial: dialResponses,
			codec: func(p *pegboard.Pool) wire.Codec { return responses.New(p, responses.Config{}) },
			path:  "/responses", history: "input", turns: responsesTurns,
		},
		{
			name: "gemini", title: "Gemini, by google.golang.org/genai",
			keyEnv: "GEMINI_API_KEY", model: "gemini-2.5-flash", dial: dialGemini,
			codec: func(p *pegboard.Pool) wire.Codec { return gemini.New(p, gemini.Config{}) },
			path:  "/v1beta/models/{call}", history: "contents", turns: geminiTurns,
		},
	}
}

func main() {
	live := flag.Bool("live", false, "talk to the real services whose keys are set: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY")
	list := providers()
	for i := range list {
		flag.StringVar(&list[i].model, list[i].name, list[i].model, "the model of -live for "+list[i].title)
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, list, *live); err != nil {
		fmt.Fprintln(os.Stderr, "providers:", err)
		stop()
		os.Exit(1)
	}
}

// run holds the conversation with each provider that can be reached.
func run(ctx context.Context, out io.Writer, list []provider, live bool) error {
	reach := liveEndpoint
	if !live {
		s, err := serve(list, nil)
		if err != nil {
			return err
		}
		defer s.stop()
		reach = s.endpoint
	}
	talked := false
	for _, p := range list {
		e := reach(p)
		if e.key == "" {
			continue
		}
		talked = true
		if _, err := talk(ctx, out, p, e); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if !talked {
		return errors.New("-live needs a key in the environment; see -help")
	}
	return nil
}

func liveEndpoint(p provider) endpoint { return endpoint{key: os.Getenv(p.keyEnv), model: p.model} }

// talk holds the conversation with one provider.
func talk(ctx context.Context, out io.Writer, p provider, e endpoint) (outcomes []pegboard.Outcome, err error) {
	send, err := p.dial(ctx, e)
	if err != nil {
		return nil, err
	}
	session, err := pegboard.NewSession(pegboard.SessionConfig{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	var registry pegboard.Registry
	if err := addTools(&registry); err != nil {
		return nil, err
	}
	s := &screen{out: out}
	s.title(p.title)
	s.line("user", question)
	defer s.end()
	pool := registry.AssemblePool(session, pegboard.PoolConfig{})
	return converse(ctx, p.codec(pool), send, pool, s)
}
