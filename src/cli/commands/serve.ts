import { defineCommand } from '../command.js'
import { remoteConfigOf } from '../serve/replication-options.js'
import { serverOptionNames, serverOptions } from '../serve/server-options.js'
import { validateServerOptions } from '../serve/validate-server-options.js'

export const serveCommand = defineCommand({
  options: serverOptions,
  fromEnvironment: serverOptionNames,
  async run(argv, context) {
    const remote = remoteConfigOf(argv)
    validateServerOptions(argv)
    // Loaded here: the help and a wrong command line do not need these modules.
    const { runServer } = await import('../serve/run-server.js')
    await runServer(argv, remote, context)
  },
})
