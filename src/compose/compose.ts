import type { Config } from '../config.js'
import type { Services } from '../service/services.js'
import { assembleServices } from './assemble-services.js'
import { type ComposeOptions, openParts } from './open-parts.js'

export type { ComposeOptions } from './open-parts.js'

/**
 * Opens the data folder and its services. Reads new commits of the branch into the catalog. Validation workers start
 * when the first document is validated.
 * @throws ProblemError `unusable-repository`, `unavailable`
 */
export async function compose(config: Config, options: ComposeOptions): Promise<Services> {
  /** Functions that close the opened parts, in the order of opening. */
  const opened: (() => Promise<void> | void)[] = []
  const onClose = (closeOne: () => Promise<void> | void) => opened.push(closeOne)
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne()
  }
  try {
    const parts = await openParts(config, options, onClose)
    const services = await assembleServices(config, options, parts, onClose)
    let closing: Promise<void> | undefined
    return {
      ...services,
      close() {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
