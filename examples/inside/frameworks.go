package main

import (
	"context"
	"net/http/httptest"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	"github.com/seed49eaa51d/pegboard"
	pegboardanthropic "github.com/seed49eaa51d/pegboard/contrib/anthropic"
	pegboardeino "github.com/seed49eaa51d/pegboard/contrib/eino"
	pegboardgenkit "github.com/seed49eaa51d/pegboard/contrib/genkit"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// inEino gives a react agent the tools, and each of its runs the handler, which keeps the order of
// a message.
func inEino(ctx context.Context, executor *pegboard.Executor, pool *pegboard.Pool) ([]string, error) {
	tools, err := pegboardeino.New(executor, pool)
	if err != nil {
		return nil, err
	}
	m := new(einoModel)
	a, err := react.NewAgent(ctx, &react.AgentConfig{ToolCallingModel: m, ToolsConfig: tools.NodeConfig()})
	if err != nil {
		return nil, err
	}
	_, err = a.Generate(ctx, []*schema.Message{schema.UserMessage("Write a note.")}, agent.WithComposeOptions(compose.WithCallbacks(pegboardeino.Handler())))
	return m.read, err
}

// einoModel is a model of eino.
type einoModel struct{ read []string }

func (m *einoModel) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m *einoModel) Generate(_ context.Context, history []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	for _, message := range history {
		if message.Role == schema.Tool {
			m.read = append(m.read, message.Content)
		}
	}
	if m.read != nil {
		return schema.AssistantMessage("Done.", nil), nil
	}
	var asked []schema.ToolCall
	for _, c := range calls() {
		asked = append(asked, schema.ToolCall{ID: c.ID, Function: schema.FunctionCall{Name: c.Name, Arguments: string(c.Input)}})
	}
	return schema.AssistantMessage("", asked), nil
}

func (m *einoModel) Stream(ctx context.Context, history []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	answer, err := m.Generate(ctx, history)
	return schema.StreamReaderFromArray([]*schema.Message{answer}), err
}

// inGenkit gives a generation the tools by a middleware.
func inGenkit(ctx context.Context, executor *pegboard.Executor, pool *pegboard.Pool) (read []string, err error) {
	tools, err := pegboardgenkit.New(executor, pool)
	if err != nil {
		return nil, err
	}
	g := genkit.Init(ctx)
	scripted := genkit.DefineModel(g, "scripted/model", &ai.ModelOptions{Supports: &ai.ModelSupports{Tools: true, Multiturn: true}},
		func(_ context.Context, r *ai.ModelRequest, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
			for _, message := range r.Messages {
				for _, part := range message.Content {
					if part.IsToolResponse() {
						read = append(read, part.ToolResponse.Output.(string)) //nolint:forcetypeassert // a text here
					}
				}
			}
			if read != nil {
				return &ai.ModelResponse{Request: r, Message: ai.NewModelTextMessage("Done.")}, nil
			}
			var asked []*ai.Part
			for _, c := range calls() {
				asked = append(asked, ai.NewToolRequestPart(&ai.ToolRequest{Name: c.Name, Ref: c.ID, Input: c.Input}))
			}
			return &ai.ModelResponse{Request: r, Message: ai.NewModelMessage(asked...)}, nil
		})
	_, err = genkit.Generate(ctx, g, ai.WithModel(scripted), ai.WithPrompt("Write a note."), ai.WithMiddleware(tools.Middleware))
	return read, err
}

// inAnthropic gives the SDK's runner the tools. A server stands for the service.
func inAnthropic(ctx context.Context, executor *pegboard.Executor, pool *pegboard.Pool) (read []string, err error) {
	server := httptest.NewServer(tooltest.Provider{Turns: []tooltest.Turn{
		{Calls: calls(), Expect: func(outcomes []pegboard.Outcome) error {
			for _, o := range outcomes {
				read = append(read, o.Result.Text())
			}
			return nil
		}},
		{Text: "Done."},
	}})
	defer server.Close()
	client := sdk.NewClient(option.WithAPIKey("key"), option.WithBaseURL(server.URL))
	runner := pegboardanthropic.NewToolRunner(client, executor, pool, sdk.BetaToolRunnerParams{BetaMessageNewParams: sdk.BetaMessageNewParams{
		Model: "claude-opus-4-6", MaxTokens: 1000, Messages: []sdk.BetaMessageParam{sdk.NewBetaUserMessage(sdk.NewBetaTextBlock("Write a note."))},
	}})
	_, err = runner.RunToCompletion(ctx)
	return read, err
}
