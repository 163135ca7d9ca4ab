// Package code has the tool that asks language servers about source code: [LSP]. It finds
// definitions, references, implementations, symbols and calls, and shows a server's information
// about a place. [Diagnostics] returns hooks that tell the model which errors an edit has brought.
//
// The tool is offered with the feature [pegboard.FeatureLSP]. The host names the servers in
// [Options].Servers; [Known] is a table of common ones. No server is downloaded.
//
// One process of a server serves one root for all agents of the conversation. The first call
// starts it, and the end of the conversation ends it. The files on the disk are the truth: a call
// sees each edit, move and deletion before it, by whatever program.
//
// A server is a program of the host with the rights of the host: it may read every file of this
// machine. The model is shown only text that the session may read without a question. Of a
// location in a file that needs one it is told path, line and column, and that Read asks the user.
// Locations in files that it may not read are left out and counted. Names and texts of a server
// are foreign, and cannot imitate words of the user or the host.
//
// # Errors
//
// The text of an error is for the model. errors.Is finds its cause, such as fs.ErrNotExist.
//
// # Concurrency
//
// All functions may be called concurrently. Calls do not wait for each other, unless one
// writes the file that another asks about.
package code
