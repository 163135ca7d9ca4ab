// Package anthropic connects the tool runners of Anthropic's Go SDK with a pool of tools, in both
// directions.
//
// [NewToolRunner] returns the SDK's own runner, whose tools are those of a pool:
//
//	runner := pegboardanthropic.NewToolRunner(client, &executor, pool, params)
//	message, err := runner.RunToCompletion(ctx)
//
// [FromBetaTools] makes tools of the SDK tools of a registry:
//
//	report, err := registry.Attach("weather", pegboardanthropic.FromBetaTools(getWeather)...)
//
// It is a module of its own, so that only programs that want it depend on the SDK. A program that
// has a loop of its own needs package wire/anthropic alone.
package anthropic
