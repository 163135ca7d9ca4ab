package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A conversationOf is what an SDK alone, without a codec, makes of a scripted provider. Its loop
// answers each call by answer, and ends with the first message without calls.
type conversationOf func(ctx context.Context, address string, stream bool, answer func(called) string) (texts []string, err error)

// TestProviderOfToolTest holds the SDKs, which are the oracles, against the provider of
// tooltest. What they are sent back is what they made of its turns.
func TestProviderOfToolTest(t *testing.T) {
	t.Parallel()
	want := []called{{"Tide", `{"port":"Tromsø","days":1}`}, {"Ferry", `{}`}, {"Tide", `{"port":"Bodø"}`}}
	calls := []pegboard.Call{tooltest.Call("Tide", want[0].input), tooltest.Call("Ferry", ""), tooltest.Call("Tide", want[2].input)}
	sdks := map[string]conversationOf{
		"anthropic": anthropicLoop, "openai-chat": chatLoop, "openai-responses": responsesLoop,
		"openai-responses, stored": storedResponsesLoop, "gemini": geminiLoop,
	}
	for name, converse := range sdks {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", name, stream), func(t *testing.T) {
				t.Parallel()
				results := func(texts ...string) func([]pegboard.Outcome) error {
					return func(outcomes []pegboard.Outcome) error {
						for i, o := range outcomes {
							if o.Result.Text() != texts[i] {
								return errors.New("got " + o.Result.Text())
							}
						}
						return nil
					}
				}
				s := httptest.NewServer(tooltest.Provider{Turns: []tooltest.Turn{
					{Text: "Ich frage nach – sofort.", Calls: calls[:2], Expect: results("answer 1", "answer 2")},
					{Calls: calls[2:], Expect: results("answer 3")},
					{Text: "High water at 13:04."},
				}})
				t.Cleanup(s.Close)
				var got []called
				texts, err := converse(t.Context(), s.URL, stream, func(c called) string {
					got = append(got, c)
					return fmt.Sprint("answer ", len(got))
				})
				require.NoError(t, refusal(err))
				require.Equal(t, []string{"Ich frage nach – sofort.", "", "High water at 13:04."}, texts)
				require.Len(t, got, len(want))
				for i := range want {
					require.Equal(t, want[i].name, got[i].name)
					require.JSONEq(t, want[i].input, got[i].input)
				}

				_, err = converse(t.Context(), s.URL, stream, func(called) string { return "wrong" })
				require.ErrorContains(t, refusal(err), "turn 1: got wrong")
			})
		}
	}
}

// refusal returns an error with the API's message, which the text of openai's leaves out.
func refusal(err error) error {
	var e *openai.Error
	if errors.As(err, &e) {
		return errors.New(e.Message)
	}
	return err
}

func anthropicLoop(ctx context.Context, address string, stream bool, answer func(called) string) (texts []string, err error) {
	client := anthropicsdk.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithAPIKey("k"), anthropicoption.WithBaseURL(address))
	params := anthropicsdk.MessageNewParams{
		Model: "m", MaxTokens: 100, Messages: []anthropicsdk.MessageParam{anthropicsdk.NewUserMessage(anthropicsdk.NewTextBlock(question))},
	}
	for {
		var message anthropicsdk.Message
		if stream {
			events := client.Messages.NewStreaming(ctx, params)
			for events.Next() {
				if err := message.Accumulate(events.Current()); err != nil {
					return texts, err
				}
			}
			if err := events.Err(); err != nil {
				return texts, err
			}
		} else {
			whole, err := client.Messages.New(ctx, params)
			if err != nil {
				return texts, err
			}
			message = *whole
		}
		text := ""
		var results []anthropicsdk.ContentBlockParamUnion
		for _, block := range message.Content {
			switch b := block.AsAny().(type) {
			case anthropicsdk.TextBlock:
				text += b.Text
			case anthropicsdk.ToolUseBlock:
				results = append(results, anthropicsdk.NewToolResultBlock(b.ID, answer(called{b.Name, string(b.Input)}), false))
			}
		}
		texts = append(texts, text)
		if message.StopReason != anthropicsdk.StopReasonToolUse {
			return texts, nil
		}
		params.Messages = append(params.Messages, message.ToParam(), anthropicsdk.NewUserMessage(results...))
	}
}

func chatLoop(ctx context.Context, address string, stream bool, answer func(called) string) (texts []string, err error) {
	client := openai.NewClient(option.WithAPIKey("k"), option.WithBaseURL(address))
	params := openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)}}
	for {
		var completion openai.ChatCompletion
		if stream {
			var all openai.ChatCompletionAccumulator
			chunks := client.Chat.Completions.NewStreaming(ctx, params)
			for chunks.Next() {
				if !all.AddChunk(chunks.Current()) {
					return texts, errors.New("a chunk is of another completion")
				}
			}
			if err := chunks.Err(); err != nil {
				return texts, err
			}
			completion = all.ChatCompletion
		} else {
			whole, err := client.Chat.Completions.New(ctx, params)
			if err != nil {
				return texts, err
			}
			completion = *whole
		}
		choice := completion.Choices[0]
		texts = append(texts, choice.Message.Content)
		if choice.FinishReason != "tool_calls" {
			return texts, nil
		}
		params.Messages = append(params.Messages, choice.Message.ToParam())
		for _, c := range choice.Message.ToolCalls {
			result := openai.ToolMessage(answer(called{c.Function.Name, c.Function.Arguments}), c.ID)
			params.Messages = append(params.Messages, result)
		}
	}
}

func responsesLoop(ctx context.Context, address string, stream bool, answer func(called) string) ([]string, error) {
	return loopResponses(ctx, address, stream, answer, false)
}

// storedResponsesLoop leaves the history to the service, and names the response before.
func storedResponsesLoop(ctx context.Context, address string, stream bool, answer func(called) string) ([]string, error) {
	return loopResponses(ctx, address, stream, answer, true)
}

func loopResponses(ctx context.Context, address string, stream bool, answer func(called) string, stored bool) (texts []string, err error) {
	client := openai.NewClient(option.WithAPIKey("k"), option.WithBaseURL(address))
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(question, responses.EasyInputMessageRoleUser)}
	params := responses.ResponseNewParams{Model: "m", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input}}
	for {
		var response responses.Response
		if stream {
			events, deltas, written := client.Responses.NewStreaming(ctx, params), "", ""
			for events.Next() {
				switch e := events.Current().AsAny().(type) {
				case responses.ResponseTextDeltaEvent:
					deltas += e.Delta
				case responses.ResponseFunctionCallArgumentsDeltaEvent:
					deltas += e.Delta
				case responses.ResponseOutputItemDoneEvent:
					written += e.Item.Arguments.OfString
					for _, part := range e.Item.Content {
						written += part.Text
					}
				case responses.ResponseCompletedEvent:
					response = e.Response
				}
			}
			if err := events.Err(); err != nil {
				return texts, err
			}
			if deltas == "" || deltas != written {
				return texts, fmt.Errorf("the deltas are %q, the items have %q", deltas, written)
			}
		} else {
			whole, err := client.Responses.New(ctx, params)
			if err != nil {
				return texts, err
			}
			response = *whole
		}
		texts = append(texts, response.OutputText())
		if stored {
			input, params.PreviousResponseID = nil, openai.String(response.ID)
		}
		answered := false
		for _, item := range response.Output {
			if !stored {
				raw, err := inputItem([]byte(item.RawJSON()))
				if err != nil {
					return texts, err
				}
				var past responses.ResponseInputItemUnionParam
				if err := json.Unmarshal(raw, &past); err != nil {
					return texts, err
				}
				input = append(input, past)
			}
			if item.Type == "function_call" {
				answered = true
				result := responses.ResponseInputItemParamOfFunctionCallOutput(answer(called{item.Name, item.Arguments.OfString}))
				result.OfFunctionCallOutput.CallID = openai.String(item.CallID)
				input = append(input, result)
			}
		}
		if !answered {
			return texts, nil
		}
		params.Input.OfInputItemList = input
	}
}

func geminiLoop(ctx context.Context, address string, stream bool, answer func(called) string) (texts []string, err error) {
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: address},
	})
	if err != nil {
		return nil, err
	}
	chat, err := client.Chats.Create(ctx, "m", nil, nil)
	if err != nil {
		return nil, err
	}
	next := []genai.Part{{Text: question}}
	for {
		var text strings.Builder
		var calls []*genai.FunctionCall
		take := func(r *genai.GenerateContentResponse) {
			text.WriteString(r.Text())
			calls = append(calls, r.FunctionCalls()...)
		}
		if stream {
			for r, err := range chat.SendMessageStream(ctx, next...) {
				if err != nil {
					return texts, err
				}
				take(r)
			}
		} else {
			r, err := chat.SendMessage(ctx, next...)
			if err != nil {
				return texts, err
			}
			take(r)
		}
		texts = append(texts, text.String())
		if len(calls) == 0 {
			return texts, nil
		}
		next = nil
		for _, c := range calls {
			input, err := json.Marshal(c.Args)
			if err != nil {
				return texts, err
			}
			next = append(next, genai.Part{FunctionResponse: &genai.FunctionResponse{
				Name: c.Name, Response: map[string]any{"output": answer(called{c.Name, string(input)})}, // without an ID
			}})
		}
	}
}
