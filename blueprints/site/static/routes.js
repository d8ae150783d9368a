// The pages and their addresses. The server answers all of them with the same document (PAGES in ../routes.py).
//
//   path       `:id` is a part that the page gets as a parameter
//   load       the module of the page, which is loaded when the page is opened
//   isGame     the wheel or the reel is beside the page
//   needs      what a guest should sign in for: the page is for players only
//   heading    what has the focus after the page was opened, the page's own heading if this is missing

export const routes = [
  { path: "/", title: "Upgrader", isGame: true, load: () => import("./pages/upgrader.js") },
  { path: "/cases", title: "Cases", isGame: true, load: () => import("./pages/cases.js") },
  { path: "/new-case", title: "New case", needs: "create a case", load: () => import("./pages/new-case.js") },
  {
    path: "/cases/:id",
    title: "Case",
    isGame: true,
    heading: "#game-title",
    load: () => import("./pages/cases.js"),
  },
  { path: "/live", title: "Live bets", isGame: true, load: () => import("./pages/live.js") },
  { path: "/ranking", title: "Ranking", isGame: true, load: () => import("./pages/ranking.js") },
  { path: "/fair", title: "Fair", load: () => import("./pages/fair.js") },
  { path: "/public-log", title: "Public log", load: () => import("./pages/public-log.js") },
  { path: "/account", title: "Account", needs: "see your account", load: () => import("./pages/account.js") },
  {
    path: "/account/cashier",
    title: "Cashier",
    needs: "deposit and withdraw",
    load: () => import("./pages/cashier.js"),
  },
  {
    path: "/account/payments",
    title: "Payments",
    needs: "see your payments",
    load: () => import("./pages/payments.js"),
  },
  { path: "/account/bets", title: "Bets", needs: "see your bets", load: () => import("./pages/bets.js") },
  { path: "/account/prizes", title: "Prizes", needs: "see your prizes", load: () => import("./pages/prizes.js") },
  { path: "/account/vault", title: "Vault", needs: "see your vault", load: () => import("./pages/vault.js") },
  {
    path: "/account/referrals",
    title: "Referrals",
    needs: "see your promo code",
    load: () => import("./pages/referrals.js"),
  },
  {
    path: "/account/notifications",
    title: "Notifications",
    needs: "see your notifications",
    load: () => import("./pages/notifications.js"),
  },
  { path: "/account/profile", title: "Profile", needs: "see your profile", load: () => import("./pages/profile.js") },
  {
    path: "/account/details",
    title: "Personal details",
    needs: "see your details",
    load: () => import("./pages/details.js"),
  },
  {
    path: "/account/limits",
    title: "Limits and breaks",
    needs: "see your limits",
    load: () => import("./pages/limits.js"),
  },
  {
    path: "/account/security",
    title: "Security",
    needs: "see your account",
    load: () => import("./pages/security.js"),
  },
];

export const notFound = { title: "Not found", load: () => import("./pages/not-found.js") };

/** The route of a path and its parameters: `{ route, params }`. */
export function findRoute(path) {
  for (const route of routes) {
    const pattern = route.path.replace(/:(\w+)/g, "(?<$1>[^/]+)");
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (!match) continue;
    const parts = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { route, params: Object.fromEntries(parts) };
  }
  return { route: notFound, params: {} };
}
