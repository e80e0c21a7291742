/*
 * What the services of this process say to the operator. Mocha shows the newest lines with a test that fails. A module of
 * its own, because to load the services takes longer than many a test.
 */

const open = new Set<readonly string[]>()

/** Lines of one repository, until {@link closeReports}. */
export function openReports(): string[] {
  const reports: string[] = []
  open.add(reports)
  return reports
}

export function closeReports(reports: readonly string[]): void {
  open.delete(reports)
}

/** The newest lines of all open repositories. */
export function newestReports(count: number): readonly string[] {
  return [...open].flat().slice(-count)
}
