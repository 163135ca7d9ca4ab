// Command agent is a complete agent loop on real tools. It reads this repository,
// runs commands in it, meets a denied call, an unknown tool and an invalid input,
// asks once, and shows all of it as it happens.
//
// Its model is a script that is replayed over HTTP in the provider's streaming
// format, so the program needs neither a key nor a network. With -live and
// ANTHROPIC_API_KEY the same loop talks to the real service.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	answer := flag.String("answer", "once", "what to answer when asked: once (allow), deny, or tty (ask you)")
	live := flag.Bool("live", false, "talk to the real service; needs ANTHROPIC_API_KEY")
	model := flag.String("model", "claude-sonnet-4-5", "the model of -live")
	question := flag.String("question", "What is this repository?", "what to ask")
	readTokens := flag.Int("read-tokens", 0, "how many tokens of a file one call of Read shows; 0 means Read's default")
	linger := flag.Duration("linger", 300*time.Millisecond, "how long the script's longest command takes")
	flag.Parse()

	c := client{address: "https://api.anthropic.com", key: os.Getenv("ANTHROPIC_API_KEY"), model: *model}
	switch {
	case *live && c.key == "":
		return errors.New("-live needs ANTHROPIC_API_KEY")
	case !*live:
		address, stop, err := serve(script(*linger))
		if err != nil {
			return err
		}
		defer stop()
		c = client{address: address, model: "script"}
	}
	s := newScreen(os.Stdout)
	defer s.close()
	ask, ok := map[string]pegboard.Asker{"once": allowOnce, "deny": deny, "tty": s.ask}[*answer]
	if !ok {
		return fmt.Errorf("-answer=%s: use once, deny or tty", *answer)
	}
	set, session, err := open(ask)
	if err != nil {
		return err
	}
	s.dir = session.Dir()
	// Facts that any tool may ask for.
	pegboard.KeyModel.Set(session, c.model)
	pegboard.KeyInteractive.Set(session, false) // one question, one answer
	pegboard.KeyFileLimits.Set(session, pegboard.FileLimits{ReadTokens: *readTokens})
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	return converse(ctx, c, set, session, s, *question)
}

// open returns the tools that ship and need no service, and the session of the agent.
func open(ask pegboard.Asker) (*builtin.Set, *pegboard.Session, error) {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Source: policy.SourceProject,
		Allow:  []string{"Bash(go env GOOS)"},
		Deny:   []string{"Read(//etc/shadow)"},
	})
	if err != nil {
		return nil, nil, err
	}
	set, err := builtin.Tools(builtin.Options{})
	if err != nil {
		return nil, nil, err
	}
	session, err := set.NewSession(pegboard.SessionConfig{Permissions: perms, Ask: ask})
	return set, session, err
}

// converse is the loop: it sends the history, runs the calls of the reply and appends
// the results, until a reply has no calls.
func converse(ctx context.Context, c client, set *builtin.Set, session *pegboard.Session, s *screen, question string) error {
	begin := time.Now()
	executor := pegboard.Executor{OnEvent: s.event}
	var history []json.RawMessage
	cut := 0
	pegboard.KeySystemPrompt.Set(session, pegboard.SystemPrompt{Rendered: system(session)})
	pegboard.KeyConversation.Set(session, pegboard.Conversation{Format: "anthropic", Messages: func() []json.RawMessage { return history }}) // it grows between batches only
	s.heading("user", question+"\n")
	session.NewTurn() // the loop breaker counts from here
	for {
		pool := set.Pool(ctx, session)
		codec := anthropic.New(pool, anthropic.Config{})
		if history == nil {
			history = codec.User(append([]pegboard.Part{{Text: question}}, set.News(pool)...)...)
		}
		s.heading("model", "")
		message, err := c.send(ctx, codec, system(session), history, s.piece)
		if err != nil {
			return fmt.Errorf("the model's reply: %w", err)
		}
		s.piece("\n")
		history = append(history, message.History...)
		var outcomes []pegboard.Outcome
		switch ended := message.Err(); {
		case ended != nil: // no answer, and no call of it may run
			if cut++; !canContinue(ended) || cut > 3 {
				return ended
			}
		case len(message.Calls) == 0:
			s.summary(time.Since(begin))
			return nil
		default:
			outcomes = executor.Run(ctx, pool, message.Calls...)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		history = append(history, codec.Results(message, outcomes, set.News(pool)...)...)
		if slices.ContainsFunc(outcomes, func(o pegboard.Outcome) bool { return o.StopTurn }) {
			s.summary(time.Since(begin))
			return nil
		}
	}
}

// canContinue reports whether the model goes on after a message that is not whole. The
// results then name the missing part.
func canContinue(ended error) bool {
	var e *wire.EndingError
	return errors.As(ended, &e) && e.Continue
}

func allowOnce(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	return policy.Decision{Behavior: policy.Allow, Reason: "allowed once, by -answer=once"}, nil
}

func deny(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
	return policy.Decision{Behavior: policy.Deny, Reason: "the user declined"}, nil
}
