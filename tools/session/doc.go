// Package session has the tools with which a model works on its own session: questions to the
// user, plans that the user approves, and what else changes how the conversation goes on.
//
// None of the tools decides anything by itself: modes change only through
// [pegboard.Session.UpdatePermissions], and what needs the user is a [pegboard.Question].
package session
