/**
 * Rate limits that hold across processes, decided synchronously in each one.
 */

export {};
