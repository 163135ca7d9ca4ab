package acp

import (
	"github.com/seed49eaa51d/pegboard/tools/tasks"
)

// A PlanEntry is one step of a plan that the editor shows.
type PlanEntry struct {
	Content  string       `json:"content"`
	Priority PlanPriority `json:"priority"` // empty means PriorityMedium
	Status   PlanStatus   `json:"status"`   // empty means PlanPending
}

// PlanPriority says how important a step is.
type PlanPriority string

// The priorities.
const (
	PriorityHigh   PlanPriority = "high"
	PriorityMedium PlanPriority = "medium"
	PriorityLow    PlanPriority = "low"
)

// PlanStatus says how far a step is.
type PlanStatus string

// The statuses.
const (
	PlanPending    PlanStatus = "pending"
	PlanInProgress PlanStatus = "in_progress"
	PlanCompleted  PlanStatus = "completed"
)

// planOf returns the list of TodoWrite as a plan.
func planOf(todos []tasks.Todo) []PlanEntry {
	entries := make([]PlanEntry, 0, len(todos))
	for _, t := range todos {
		entries = append(entries, PlanEntry{Content: t.Content, Priority: PriorityMedium, Status: PlanStatus(t.Status)})
	}
	return entries
}
