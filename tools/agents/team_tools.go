package agents

import (
	"context"
	"errors"

	"github.com/seed49eaa51d/pegboard"
)

// teamInput is the input of the TeamCreate tool.
type teamInput struct {
	Name        string `json:"team_name" jsonschema:"minLength=1" jsonschema_description:"The name of the team: lower-case letters, digits, - and _"`
	Description string `json:"description,omitempty" jsonschema_description:"What the team is for"`
	Type        string `json:"agent_type,omitempty" jsonschema_description:"What you are in the team; it has no effect"`
}

// TeamResult is the Result.Data of TeamCreate and TeamDelete.
type TeamResult struct {
	Team
	File string `json:"team_file_path,omitempty"` // empty without Options.Dir

	message string
}

// teamTraits are those of the tools for teams.
func teamTraits() pegboard.Traits {
	return pegboard.Traits{Kind: pegboard.KindRun, Concurrency: pegboard.PerTarget, Own: true, Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "teams"}}}
}

// permitTeam allows the tools for teams.
func permitTeam() pegboard.Decision {
	return pegboard.Decision{Behavior: pegboard.Allow, Reason: "a team belongs to the conversation"}
}

// result words the outcome for the model.
func (out TeamResult) result() *pegboard.Result {
	r := pegboard.TextResult(out.message)
	r.Data, r.Line = out, out.message
	return r
}

// teamCreateTool returns the TeamCreate tool.
func (g *Agents) teamCreateTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[teamInput, TeamResult]{
		Info: pegboard.Info{Name: "TeamCreate", Title: "Create team", Hint: "agents that stay and wait for messages"},
		Description: "Makes a team, which you lead. Start its teammates with Agent, each with a name and the team_name. " +
			"A teammate that has done its task does not end: it tells you that it is idle, and waits for messages. To end it, send it a shutdown_request with SendMessage. You lead one team at a time.",
		Traits: teamTraits(),
		Lines: func(in teamInput, _ *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Make the team " + in.Name, While: "Making the team " + in.Name}
		},
		Permit: func(context.Context, teamInput, *pegboard.Call) pegboard.Decision { return permitTeam() },
		Call: func(_ context.Context, in teamInput, c *pegboard.Call) (TeamResult, error) {
			s := c.Session()
			if s == nil {
				return TeamResult{}, errors.New("teams are made by calls of an executor only")
			}
			lead, _, _, _ := g.writer(s)
			out := TeamResult{Team: Team{Name: in.Name, Description: in.Description, Lead: lead, Members: []TeamMember{}}}
			t := g.teamsOf(s)
			if err := t.create(out.Team); err != nil {
				return TeamResult{}, err
			}
			if t.dir != "" {
				out.File = t.path(in.Name)
			}
			out.message = "The team " + in.Name + " is there, and you lead it."
			return out, nil
		},
		Result: TeamResult.result,
	})
}

// teamDeleteTool returns the TeamDelete tool.
func (g *Agents) teamDeleteTool() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, TeamResult]{
		Info:        pegboard.Info{Name: "TeamDelete", Title: "Delete team", Hint: "end the team that you lead"},
		Description: "Deletes the team that you lead, when all its teammates have ended.",
		Traits:      teamTraits(),
		Lines: func(struct{}, *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Delete the team", While: "Deleting the team"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) pegboard.Decision { return permitTeam() },
		Call: func(_ context.Context, _ struct{}, c *pegboard.Call) (TeamResult, error) {
			s := c.Session()
			if s == nil {
				return TeamResult{}, errors.New("teams are deleted by calls of an executor only")
			}
			lead, _, _, _ := g.writer(s)
			team, err := g.teamsOf(s).remove(lead)
			if err != nil {
				return TeamResult{}, err
			}
			return TeamResult{Team: team, message: "The team " + team.Name + " was deleted."}, nil
		},
		Result: TeamResult.result,
	})
}
