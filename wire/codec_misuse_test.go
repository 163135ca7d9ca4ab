package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
	"github.com/seed49eaa51d/pegboard/wire/anthropic"
	"github.com/seed49eaa51d/pegboard/wire/gemini"
	"github.com/seed49eaa51d/pegboard/wire/openai/chat"
	"github.com/seed49eaa51d/pegboard/wire/openai/responses"
)

func TestNilAndZeroPoolsPanicWithOneSentence(t *testing.T) {
	t.Parallel()
	tests := map[string]func(p *pegboard.Pool){
		"anthropic.New": func(p *pegboard.Pool) { anthropic.New(p, anthropic.Config{}) },
		"gemini.New":    func(p *pegboard.Pool) { gemini.New(p, gemini.Config{}) },
		"chat.New":      func(p *pegboard.Pool) { chat.New(p, chat.Config{}) },
		"responses.New": func(p *pegboard.Pool) { responses.New(p, responses.Config{}) },
		"wire.Lint":     func(p *pegboard.Pool) { wire.Lint(p, wire.Anthropic) },
	}
	for caller, do := range tests {
		t.Run(caller, func(t *testing.T) {
			t.Parallel()
			const sentence = " with a nil or zero Pool; make one with Registry.AssemblePool"
			require.PanicsWithValue(t, caller+sentence, func() { do(nil) })
			require.PanicsWithValue(t, caller+sentence, func() { do(&pegboard.Pool{}) })
		})
	}
}
