import type { CoreParts } from '../../compose/compose.js'
import { publicSubjects } from '../../core/access-control.js'
import type { OpenFeature } from '../../http/open-feature.js'
import { openSmartHttp, type SmartHttp, type SmartHttpOptions } from './smart-http.js'

export interface GitHttpSettings {
  /** Whether git clients may push. Has no effect without a git binary. */
  readonly allowPush: boolean
  /** Time limit in milliseconds of a clone, fetch or push. Each 4 KiB adds a second. */
  readonly maxMilliseconds: number
}

/** Opens the service for clones, fetches and pushes over HTTP. */
export async function openGitHttp(
  parts: CoreParts,
  { allowPush, maxMilliseconds }: GitHttpSettings,
): Promise<OpenFeature<SmartHttp>> {
  const { repository, catalog, writer } = parts
  const { git } = repository
  let pushes: SmartHttpOptions['pushes']
  if (allowPush && git !== undefined) {
    const { openPushReceiver } = await import('./answer-pre-receive-hook.js')
    pushes = await openPushReceiver({ ...parts, git })
  }
  async function isPublic(): Promise<boolean> {
    // First read the commits that other processes made.
    await writer.catchUp()
    return catalog.committed.isOpenTo(publicSubjects)
  }
  const smartHttp = openSmartHttp({ repository, maxMilliseconds, pushes, isPublic })
  return { state: smartHttp, ...(pushes && { needsUnlocked: ['pushes'] as const }), close: smartHttp.close }
}
