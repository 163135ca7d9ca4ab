package pegboard

// opinions are what others than the rules and the mode say of a call before it runs.
type opinions struct {
	own  Decision // of the tool
	hook Decision // of the hooks
	loop string   // why the loop breaker wants the user to be asked, or ""
}

// strictest returns the strictest opinion.
func (o *opinions) strictest() Decision {
	o.hook.By, o.own.By = ByHook, ByTool
	return stricter(o.hook, o.own)
}
