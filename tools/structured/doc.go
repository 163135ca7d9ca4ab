// Package structured gets a JSON document out of a run of a model: its last answer, which a
// schema describes. [New] makes an [Output] of the schema. Its tool, StructuredOutput, belongs
// into the pools of the run, see PoolConfig.With of [pegboard.Registry.AssemblePool]. After
// each message the loop calls [Output.Next], and ends when [Output.Value] has the document.
//
//	out, err := structured.New(schema)
//	...
//	for {
//		pool := registry.AssemblePool(session, pegboard.PoolConfig{With: []pegboard.Tool{out.Tool()}})
//		... // ask the model, and run its calls
//		say, err := out.Next(outcomes...)
//		if err != nil {
//			return err // wraps ErrNoOutput: the model has used up its tries
//		}
//		if value, ok := out.Value(); ok {
//			return use(value)
//		}
//		... // send the outcomes and what say holds
//	}
package structured
