import { type CommandLine, defineCommand } from '../command.js'
import { allServerOptions, type ServerOptions, serverOptionNames } from '../serve/server-options.js'
import { validateServerOptions } from '../serve/validate-server-options.js'

export const serveCommand = defineCommand({
  options: allServerOptions,
  fromEnvironment: serverOptionNames,
  async run(argv: CommandLine<typeof allServerOptions>, context) {
    const options = argv as unknown as ServerOptions
    validateServerOptions(options)
    // Loaded here: the help and a wrong command line do not need these modules.
    const { runServer } = await import('../serve/run-server.js')
    await runServer(options, context)
  },
})
