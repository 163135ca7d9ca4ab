package tasks

import (
	"slices"

	"github.com/seed49eaa51d/pegboard"
)

// A Todo is one line of the list that an agent writes with [TodoWrite].
type Todo struct {
	Content    string `json:"content" jsonschema:"minLength=1" jsonschema_description:"What is to be done, such as: Run the tests"`
	Status     Status `json:"status" jsonschema:"enum=pending,enum=in_progress,enum=completed"`
	ActiveForm string `json:"activeForm" jsonschema_description:"The same as it is shown while it is done, such as: Running the tests"`
}

// A todoList is the list of one agent. Its todos are never written to.
type todoList struct {
	todos []Todo
	asked bool // a verification step was asked for
}

// todoLists holds the list of each session. A fork begins with none.
var todoLists = pegboard.NewClonedKey("todos", func(todoList) todoList { return todoList{} })

// Todos returns the list that the agent of s has written last, or nil. A list whose lines are all
// completed stays until the next one is written.
func Todos(s *pegboard.Session) []Todo {
	list, _ := todoLists.Get(s)
	return slices.Clone(list.todos)
}

// continues reports whether todos are a later state of the list: they share a line that is not
// empty. Any others are a new list.
func (l *todoList) continues(todos []Todo) bool {
	return slices.ContainsFunc(todos, func(t Todo) bool {
		return slices.ContainsFunc(l.todos, func(old Todo) bool { return old.Content == t.Content })
	})
}
