// Package session has the tools with which a model works on its own session: questions to the
// user, plans that the user approves, and what else changes how the conversation goes on.
//
// [AskUserQuestion] asks the user to choose. The question goes down the one line of questions of
// a conversation; a dialog gets its form from [Asked] and its decision from [Answer].
//
// [PlanTools] are EnterPlanMode, ExitPlanMode and VerifyPlanExecution. In plan mode nothing is
// written. The user approves a plan, as it is or edited, and may choose the mode that follows.
//
// None of the tools decides anything by itself: modes change only through
// [pegboard.Session.UpdatePermissions], and what needs the user is a [pegboard.Question].
package session
