import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { flag, text } from '../../cli/arguments/option-table.js'
import { serveGroup as group } from '../../cli/arguments/shared-options.js'
import { defineFeature } from '../../feature.js'
import { ownFolder } from '../../store/repository/open-repository.js'

/** The file in which a server notes the state of its connection, for commands. */
const statusFile = 'remote.json'

/** Other repositories: one that the server follows, a mirror, or a log that several servers share. @see docs/run/remotes.md */
export const remotes = defineFeature({
  name: 'remotes',
  options: {
    follow: {
      ...text,
      group,
      describe: 'A repository (URL, path or name of a remote) to fetch from and to serve read-only',
    },
    'push-to': { ...text, group, describe: 'A repository to push every update to' },
    'ack-remote': {
      ...flag,
      group,
      describe:
        'Answer an update only when the repository of --push-to has it; servers can share that repository',
    },
    interval: {
      ...text,
      group,
      describe: 'Time between two fetches, such as 500ms, 5s or 1m',
      defaultDescription: '5s',
    },
  },
  async validate(options) {
    const { remoteSettings } = await import('./remote-settings.js')
    return remoteSettings(options)
  },
  async fillFolder(folder, settings) {
    if (settings === undefined) return false
    const { cloneInto } = await import('./initial-clone.js')
    return await cloneInto(folder, settings)
  },
  async connect(repository, settings, process) {
    const file = join(repository.ownDir, statusFile)
    if (settings === undefined && !existsSync(file)) return undefined
    const connections = await import('./connect.js')
    if (settings === undefined) return connections.connectionOfServer(file, process.serving)
    return await connections.connect(repository, settings, { file, report: process.report })
  },
  async loadRoutes() {
    return (await import('./connection-schema.js')).connectionSchema
  },
  async open(parts, _options, _settings, connection) {
    return connection?.open?.(parts) ?? {}
  },
  async readStatus(clone) {
    const file = join(clone.commonDir, ownFolder, statusFile)
    if (!existsSync(file)) return undefined
    const { remoteStatus } = await import('./remote-status.js')
    return await remoteStatus(clone, file)
  },
})
