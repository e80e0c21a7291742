import { defaultInterval, type RemoteConfig } from '../../config.js'
import { parseDuration } from '../arguments/duration.js'
import { requireSafeRemote } from '../arguments/remote-address.js'
import { UsageError } from '../command-context.js'
import type { ServerOptions } from './server-options.js'

export type ReplicationOptions = Pick<ServerOptions, 'follow' | 'pushTo' | 'ackRemote' | 'interval'>

/** The repository that the options of `serve` follow or push to; undefined if they name none. @throws UsageError */
export function remoteConfigOf(options: ReplicationOptions): RemoteConfig | undefined {
  const { follow, pushTo, ackRemote, interval } = options
  refuseTogether(options)
  const remote = follow ?? pushTo
  if (remote === undefined) return undefined
  requireSafeRemote(remote)
  return {
    role: follow !== undefined ? 'source' : ackRemote ? 'log' : 'mirror',
    remote,
    interval: interval === undefined ? defaultInterval : intervalOf(interval),
  }
}

function refuseTogether({ follow, pushTo, ackRemote, interval }: ReplicationOptions): void {
  if (follow !== undefined && pushTo !== undefined) {
    throw new UsageError('A server follows another repository or pushes to it: give --follow or --push-to.')
  }
  if (ackRemote && pushTo === undefined) {
    throw new UsageError('--ack-remote needs --push-to: it waits for the repository that is pushed to.')
  }
  if (interval !== undefined && follow === undefined && !ackRemote) {
    throw new UsageError('--interval is for --follow and --ack-remote.')
  }
}

function intervalOf(text: string): number {
  const milliseconds = parseDuration(text, ['ms', 's', 'm', 'h']) ?? Number.NaN
  if (milliseconds >= 100 && milliseconds <= 24 * 3_600_000) return milliseconds
  throw new UsageError('--interval must be a time from 100ms to 24h, such as 500ms, 5s or 1m.')
}
