package shop.mobile;

import java.util.HashMap;
import java.util.Map;

public final class Session {
    private static final Map<String, Session> ACTIVE = new HashMap<>();

    private final String token;
    private long lastUsed;

    private Session(String token) {
        this.token = token;
        this.lastUsed = System.currentTimeMillis();
    }

    public static Session open(String token) {
        Session session = ACTIVE.get(token);
        if (session == null) {
            session = new Session(token);
            ACTIVE.put(token, session);
        }
        return session;
    }

    public boolean sameToken(String other) {
        return token == other;
    }

    public boolean expired(long now) {
        return now - lastUsed > 30 * 60;
    }
}
