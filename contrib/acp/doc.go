// Package acp lets the user of an editor work with a session: it speaks the Agent Client
// Protocol, version 1, over standard input and output, with the connection and the types of
// github.com/coder/acp-go-sdk, here called sdk. The editor starts the program.
//
//	agent, err := acp.New(acp.Options{Info: sdk.Implementation{Name: "notes", Version: "1.0.0"}, Open: open})
//	…
//	err = agent.Stdio(ctx)
//
// The host gives its loop as a func, a [Turn]: it is called with each prompt and returns why
// the turn has ended. Open makes the session of a conversation and connects it to the editor.
//
//	open := func(ctx context.Context, c *acp.Conversation) (*pegboard.Session, acp.Turn, error) {
//		session, err := pegboard.NewSession(pegboard.SessionConfig{Dir: c.Dir(), Permissions: permissions, Ask: c.Ask, Elicit: c.Elicit})
//		executor := &pegboard.Executor{OnEvent: c.Record}
//		return session, func(ctx context.Context, prompt []pegboard.Part) (sdk.StopReason, error) {
//			return loop(ctx, session, executor, prompt, c.Say)
//		}, err
//	}
//
// # Calls
//
// [Conversation.Record] shows each call as the editor's own: its title, kind and files, the
// input that it runs with, the call that it waits for, progress, and its end. The words are those of
// [pegboard.Call.View] and [pegboard.Outcome.View], the changes of files those of
// [pegboard.Diff]: a diff for each hunk. Calls of sub-agents are shown if their executors
// have the same OnEvent. The list of TodoWrite of package tasks is the plan.
//
// # Questions
//
// [Conversation.Ask] puts a question to the user, with a preview of the change. The options are
// made of [pegboard.Question.Suggestions]. The session remembers the rules of an option
// "always", and [pegboard.SessionConfig].OnRemember may save them. An answer that was not
// offered denies the call, a second answer is passed over, and a question that was answered
// elsewhere is withdrawn. [Conversation.Elicit] shows forms, in editors that have elicitation.
//
// # Modes
//
// The modes that the permissions of a session offer are those of the editor. It is told of a
// mode that an answer or a tool has changed when a call or the turn has ended.
//
// # Cancelling
//
// When the user cancels, the context of the turn ends with [pegboard.ErrUserInterrupt], and so
// do the calls that run and the question that is open. The prompt is answered as cancelled when
// the Turn has returned.
//
// # Concurrency
//
//  1. All functions and methods may be called concurrently. An agent may serve several editors.
//  2. A conversation has one prompt at a time; another is refused. Conversations run beside
//     each other.
//  3. The messages of one call keep their order. Record, Say, Think and Plan wait for no
//     editor: messages are queued, and a connection ends when 64 MiB wait.
//  4. A cancellation counts for the prompt before it, however fast it follows.
//  5. Record may be called from the listener of any batch. The host's Open and Turn run on
//     goroutines of their own, and a panic in them ends no program.
//  6. When Serve has returned, the sessions are closed, and every Turn has returned unless the
//     error says otherwise.
package acp
