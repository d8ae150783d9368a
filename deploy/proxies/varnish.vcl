# Varnish in front of the platform, behind a proxy that ends TLS. Set TRUSTED_PROXIES=2 there.
vcl 4.1;

backend default {
    .host = "127.0.0.1";
    .port = "5000";
}

sub vcl_recv {
    if (req.url ~ "^/(metrics|readyz)$") {
        return (synth(404));
    }
    if (req.http.Upgrade ~ "(?i)websocket") {
        return (pipe);
    }
    if (req.url ~ "^/socket\.io/") {
        return (pass);
    }
}

sub vcl_pipe {
    # Varnish leaves these out otherwise.
    if (req.http.Upgrade) {
        set bereq.http.Upgrade = req.http.Upgrade;
        set bereq.http.Connection = req.http.Connection;
    }
}
