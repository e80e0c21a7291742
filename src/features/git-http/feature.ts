import { flag, number } from '../../cli/arguments/option-table.js'
import { serveGroup as group } from '../../cli/arguments/shared-options.js'
import { maxSeconds, requireWholeNumber } from '../../cli/arguments/whole-number.js'
import { UsageError } from '../../cli/command-context.js'
import { defineFeature } from '../../feature.js'

/** The smart HTTP protocol of Git: clones, fetches and pushes. @see docs/use/git.md */
export const gitHttp = defineFeature({
  name: 'git-http',
  options: {
    'allow-push': {
      ...flag,
      group,
      describe: 'Accept pushes of git clients, checked like updates over HTTP',
    },
    'git-time': {
      ...number,
      group,
      default: 900,
      describe: 'Seconds that a clone, fetch or push may take; each 4 KiB of it adds a second',
    },
  },
  validate({ allowPush, gitTime }, { follow, ackRemote }) {
    requireWholeNumber('git-time', gitTime, 1, maxSeconds)
    if (allowPush && (follow !== undefined || ackRemote)) {
      const name = ackRemote ? '--ack-remote' : '--follow'
      throw new UsageError(`--allow-push does not work with ${name}: push to the other repository itself.`)
    }
  },
  async loadRoutes() {
    const { passwordScheme, smartHttpRoutes } = await import('./smart-http-routes.js')
    return {
      routes: smartHttpRoutes,
      components: { securitySchemes: { password: passwordScheme } },
      tags: [{ name: 'Git', description: 'The smart HTTP protocol of Git.' }],
    }
  },
  async open(parts, { allowPush, gitTime }) {
    const { openGitHttp } = await import('./open-git-http.js')
    return await openGitHttp(parts, { allowPush, maxMilliseconds: gitTime * 1000 })
  },
})
