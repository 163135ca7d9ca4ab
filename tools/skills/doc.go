// Package skills has the tool Skill, with which a model loads instructions when it needs them.
//
// A [Skill] is a file SKILL.md in a directory of its own, or a file of the directory commands,
// and has a head with values and a body. The model is told names and descriptions, see
// [Skills.Announce]. It reads the body when it calls the tool, and other files of the directory
// when the body sends it there. [Load] and [LoadCommands] read directories; package settings
// finds those of a session.
//
//	k, err := skills.New(skills.Options{List: func(s *pegboard.Session, touched []string) []skills.Skill { … }})
//	registry.Add(k.Tool())
//	text, told = k.Announce(pool, told) // before each request
//	inv, err := k.Run(ctx, executor, pool, "deploy", "staging") // the user typed /deploy staging
//	parts := k.Carry(session) // when the conversation is replaced by a summary
//
// # What is replaced in a body
//
//	$ARGUMENTS              the arguments as they were written
//	$ARGUMENTS[N], $N       argument N, counted from 0; unchanged if it is missing
//	$name                   the argument of that name; empty if it is missing
//	${CLAUDE_SESSION_ID}    the session's id
//	${CLAUDE_EFFORT}        the effort
//	${CLAUDE_SKILL_DIR}     the directory of the skill
//	${CLAUDE_PROJECT_DIR}   the directory of the project
//	${NAME}                 a variable of [Skill].Variables
//	!`command`              the output of the command; at the start of a line or behind a blank
//
// A code block whose fence is ```! is a command of several lines. A backslash before a
// placeholder of an argument keeps it. Arguments that no placeholder takes are added at the end.
// Everything is replaced once: arguments and outputs are never looked at again.
//
// # Commands
//
// All commands of a body are decided before the first runs, as calls of the tool Bash or
// PowerShell of the pool, and run like other calls. If one of them is not allowed, or fails, the
// skill is not loaded, and the model learns nothing of its body. A question is not asked. An exit
// code that is not 0 is no failure; it is told. An argument in a command may only have characters
// that no shell interprets.
//
// # Trust
//
// Allow and deny rules of a skill count only if [Skill].Trusted is set, from the end of the call
// until the turn ends, in the session that has loaded it and in no sub-agent. Without Trusted,
// the directory of the skill is not lent to the model either. That is stricter than Claude Code
// documents.
package skills
