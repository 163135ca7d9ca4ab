// Package comms holds the tools by which a model reaches the person it works for, and learns
// what happens where that person is: [SendUserMessage], [SendUserFile], [PushNotification],
// [TerminalCapture] and [SubscribePR].
//
// The package has no channel of its own. Each tool is made of one func of [Options], which the
// host writes:
//
//	o := comms.Options{Send: func(ctx context.Context, s *pegboard.Session, m comms.Message) error {
//		return chat.Post(ctx, m.Text)
//	}}
//	tool, err := comms.SendUserMessage(o)
//
// A func that is nil is an error of the constructor, so a host offers those tools that it has a
// channel for.
//
// # Files
//
// The files of a call are targets that it reads, so the rules for Read hold for them: a file
// that a rule denies is not sent, under no other name either. A file is opened where it was
// decided. It is read while the func of the host runs, and never held in memory. Stored results
// in files may be sent without a question, as they may be read.
//
// # Permission
//
// A message to a person at this machine needs no permission. With [Options].Remote the calls
// are open-world, and are asked about unless a rule allows them. [SubscribePR] is always
// open-world. Deny and ask rules hold in any case.
//
// # Text of others
//
// What a terminal shows and what happens to a pull request is text that others may have
// written. The model is told so beside every such text, and imitations of the marks of a host
// in it are made harmless. Such a text allows nothing and answers no question.
package comms
