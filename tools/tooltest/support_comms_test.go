package tooltest_test

import (
	"context"
	"errors"
	"io"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/comms"
)

// commsCalls are the calls of package comms.
func commsCalls() []shownCall {
	o := comms.Options{
		Send:     func(context.Context, *pegboard.Session, comms.Message) error { return nil },
		SendFile: func(context.Context, *pegboard.Session, comms.Delivery) error { return nil },
		Push: func(context.Context, *pegboard.Session, comms.Notification) (comms.Pushed, error) {
			return comms.Pushed{Local: true}, nil
		},
		Capture: func(context.Context, *pegboard.Session, int) (string, error) { return "$ ls\na.txt\n", nil },
		Subscribe: func(context.Context, *pegboard.Session, string) (comms.Subscription, error) {
			return func(context.Context) (string, error) { return "", io.EOF }, nil
		},
	}
	made := func(constructor func(comms.Options) (pegboard.Tool, error)) pegboard.Tool {
		tool, err := constructor(o)
		if err != nil {
			panic(errors.Join(errors.New("package comms"), err))
		}
		return tool
	}
	message, file := made(comms.SendUserMessage), made(comms.SendUserFile)
	view := func(title string, kind pegboard.CallKind, before, while, after string) pegboard.View {
		return pegboard.View{Title: title, Kind: kind, Folds: kind == pegboard.KindRead, Before: before, While: while, After: after}
	}
	return []shownCall{
		{made: "comms.SendUserMessage", tool: message, input: `{"message":"Done.\nAll tests pass.","status":"proactive"}`, want: view("Message", pegboard.KindRun, "Message to you: Done. ⏎ All tests pass.", "Sending you a message", "Sent")},
		{made: "comms.SendUserMessage", tool: message, input: `{"message":"See","attachments":["a.txt"]}`, want: view("Message", pegboard.KindRun, "Message to you: See", "Sending you a message", "Sent with 1 file")},
		{made: "comms.SendUserFile", tool: file, input: `{"files":["D/a.txt"]}`, want: view("Send file", pegboard.KindRun, "Send you a.txt", "Sending you a.txt", "Sent 1 file")},
		{made: "comms.SendUserFile", tool: file, input: `{"files":["a.txt","empty"],"display":"render"}`, want: view("Send file", pegboard.KindRun, "Send you 2 files", "Sending you 2 files", "Sent 2 files")},
		{made: "comms.PushNotification", tool: made(comms.PushNotification), input: `{"message":"Look"}`, want: view("Notification", pegboard.KindRun, "Notify you: Look", "Notifying you", "Notified")},
		{made: "comms.TerminalCapture", tool: made(comms.TerminalCapture), input: `{}`, want: view("Terminal", pegboard.KindRead, "Look at your terminal", "Looking at your terminal", "Saw 2 lines")},
		{made: "comms.SubscribePR", tool: made(comms.SubscribePR), input: `{"pr":"acme/app#7"}`, want: view("Watch pull request", pegboard.KindRun, "Watch pull request acme/app#7", "Subscribing to pull request acme/app#7", "Watches as pr_")},
	}
}
